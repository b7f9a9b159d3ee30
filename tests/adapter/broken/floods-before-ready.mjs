// Writes one endless line instead of an introduction.
const flood = () => {
  while (process.stdout.write('.'.repeat(65_536)));
  process.stdout.once('drain', flood);
};
flood();
