// For `setupFiles` of vitest: `expect(recorder).toConformToAcp()`.
import { expect } from "vitest";
import { matchers } from "./index.js";

expect.extend(matchers);
