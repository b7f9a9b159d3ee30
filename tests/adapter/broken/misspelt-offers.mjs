// Offers something under an unknown name.
import { adapt, send } from './skeleton.mjs';

await adapt({
  hello: () =>
    send({ t: 'ready', protocol: 1, client: { name: 'broken', languge: 'node' }, offer: { max_in_flight: 4 } }),
});
