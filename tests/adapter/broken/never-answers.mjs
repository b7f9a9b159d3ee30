// Takes cases and answers none.
import { adapt } from './skeleton.mjs';

await adapt({ case: () => {} });
