type Hook = () => unknown;

/**
 * What a module of `tests/support` does before and after each test file. The module itself may be
 * evaluated once for many files, and hooks that it registers would belong to the first one.
 */
export const beforeEachFile: Hook[] = [];
export const afterEachFile: Hook[] = [];
