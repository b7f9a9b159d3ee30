/** The gateway that a client under test talks to, with a folder of its own for the certificate of its authority. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalGateway, type LocalGatewayOptions, openLocalGateway } from '../../peer/local-gateway/index.ts';
import { noTemporaryFolder } from '../../record/disk/disk-error.ts';

/** `close` takes the folder away too. Throws DiskError where nothing can be written into it, and leaves no folder then. */
export async function openGatewayInFolder(
  name: string,
  options: Omit<LocalGatewayOptions, 'folder'>,
): Promise<{ readonly gateway: LocalGateway; close(): Promise<void> }> {
  let folder = '';
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    folder = await mkdtemp(join(tmpdir(), name));
    const gateway = await openLocalGateway({ ...options, folder });
    return {
      gateway,
      close: async () => {
        await gateway.close();
        await remove();
      },
    };
  } catch (cause) {
    await remove();
    // Its servers start later: what the system refuses here is a file.
    throw (cause as NodeJS.ErrnoException).syscall === undefined ? cause : noTemporaryFolder(cause);
  }
}
