// Spreads each message over several lines, as a JSON library does that is asked to indent.
const ready = { t: 'ready', protocol: 1, client: { name: 'broken', language: 'javascript' }, offers: {} };
process.stdout.write(`${JSON.stringify(ready, null, 2)}\n`);
process.stdin.resume();
