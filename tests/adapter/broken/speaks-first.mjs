// Introduces itself before it is asked.
import { adapt, ready, send } from './skeleton.mjs';

send(ready);
await adapt({ hello: () => {} });
