// A library is missing.
console.error('Error: Cannot find module oauth');
process.exitCode = 3;
