// Introduces itself before anybody asked.
import { adapt, ready, send } from './skeleton.mjs';

send(ready);
await adapt({ hello: () => {} });
