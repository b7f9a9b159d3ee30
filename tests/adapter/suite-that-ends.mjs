// Opens a session with an adapter, prints a line, waits for input, and ends without closing the session.
const [built, end, command, ...args] = process.argv.slice(2);
const { openAdapterSession } = await import(built);
await openAdapterSession({
  command,
  args,
  seed: '',
  suite: { name: 'countersign', version: '0.0.0' },
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'COUNTERSIGN_TEST_MARK')),
});
process.stdin.once('data', () => {
  if (end === 'exit') process.exit(0);
  if (end === 'throw') throw new Error('a fault of the suite');
});
process.stdout.write('open\n');
