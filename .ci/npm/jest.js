// For `setupFilesAfterEnv` of jest: `expect(recorder).toConformToAcp()`.
"use strict";

expect.extend(require("./index.js").matchers);
