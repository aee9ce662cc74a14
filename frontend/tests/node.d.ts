// What the tests use of Node; the sources themselves run in browsers and know nothing of it.
declare module "node:test" {
  export default function test(name: string, body: () => void): void;
}

declare module "node:assert/strict" {
  interface Assert {
    equal(got: unknown, expected: unknown, message?: string): void;
    notEqual(got: unknown, expected: unknown, message?: string): void;
    deepEqual(got: unknown, expected: unknown, message?: string): void;
    ok(value: unknown, message?: string): asserts value;
  }
  const assert: Assert;
  export default assert;
}

declare module "node:fs" {
  export function readFileSync(path: URL, encoding: "utf8"): string;
  export function readdirSync(path: URL): string[];
}
