declare global {
  namespace jest {
    interface Matchers<R> {
      /** Fails with the findings of `acpcheck check`; `options` are its options. */
      toConformToAcp(options?: readonly string[]): Promise<void>;
    }
  }
}

export {};
