import "vitest";

declare module "vitest" {
  interface Matchers<T = any> {
    /** Fails with the findings of `acpcheck check`; `options` are its options. */
    toConformToAcp(options?: readonly string[]): Promise<void>;
  }
}
