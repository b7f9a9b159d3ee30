// Writes each line back, as cat does.
process.stdin.pipe(process.stdout);
