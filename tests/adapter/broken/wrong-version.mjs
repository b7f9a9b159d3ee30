// Speaks a version that is still to come.
import { adapt, ready, send } from './skeleton.mjs';

await adapt({ hello: () => send({ ...ready, protocol: 2 }) });
