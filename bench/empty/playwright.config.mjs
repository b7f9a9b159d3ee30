/** One empty test and one reporter that prints little. */
export default { testMatch: 'empty.spec.mjs', reporter: 'line' };
