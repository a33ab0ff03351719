/** The sandbox in a process of its own, so that what it keeps is not counted as the node's memory. */
import { startSandbox } from '../../sandbox/index.mts';

const sandbox = await startSandbox();
process.send?.({ url: sandbox.url, intelligenceUrl: sandbox.intelligenceUrl, keys: sandbox.keys });
process.once('disconnect', () => void sandbox.close());
