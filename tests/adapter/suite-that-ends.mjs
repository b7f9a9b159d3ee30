// Opens a session with an adapter, prints a line, and ends without closing the session.
const [built, end, command, ...args] = process.argv.slice(2);
const { openAdapterSession } = await import(built);
await openAdapterSession({
  command,
  args,
  seed: '',
  suite: { name: 'countersign', version: '0.0.0' },
  env: Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'COUNTERSIGN_TEST_MARK')),
});
process.stdout.write('open\n', () => {
  if (end === 'exit') setTimeout(() => process.exit(0), 300);
  if (end === 'throw') setTimeout(() => Promise.reject(new Error('a fault of the suite')), 300);
});
