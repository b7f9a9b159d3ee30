// Writes ten megabytes to standard error before each answer; who does not read them never gets the answer.
import { writeSync } from 'node:fs';
import { adapt, result, send } from './skeleton.mjs';

await adapt({
  case: (message) => {
    for (let i = 0; i < 160; i++) writeAll(`${'warning '.repeat(8191)}warning\n`);
    send(result(message));
  },
});

function writeAll(text) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(2, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
