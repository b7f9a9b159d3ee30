/** Every row of the table, in its order. */
import { batches } from './batch.mjs';
import { processes } from './processes.mjs';
import { servers } from './server.mjs';
import { signing } from './signing.mjs';

export const rows = [...signing, ...servers, ...batches, ...processes];
