import { parseArgs } from 'node:util';
import { accountText } from './accountText.mts';
import { HOST } from './compute/sshServer.mts';
import { devices, startSandbox, systemClock } from './index.mts';

const DEFAULT_PORT = '8790';
const LOG_LINES_PER_SECOND = 2;

const { values } = parseArgs({
	options: {
		port: { type: 'string', default: DEFAULT_PORT },
		speed: { type: 'string', default: '1' },
	},
});

const port = Number(values.port);
const speed = Number(values.speed);
if (!Number.isInteger(port) || port < 0 || port > 65535)
	fail(`--port must be 0 to 65535, got ${values.port}`);
if (!(speed > 0) || !Number.isFinite(speed))
	fail(`--speed must be a number above 0, got ${values.speed}`);

const sandbox = await startSandbox({
	port,
	ssh: true,
	clock: systemClock(speed),
	logLinesPerSecond: LOG_LINES_PER_SECOND,
}).catch((error: NodeJS.ErrnoException) =>
	fail(
		error.code === 'EADDRINUSE'
			? `Port ${port} is taken. Choose another one: npm run sandbox -- --port 0`
			: error.message,
	),
);

const pace = speed === 1 ? 'in real time' : `${speed} times as fast as real time`;
console.log(`The compute marketplace sandbox is running, ${pace}.

  Compute service       ${sandbox.url}
  Intelligence service  ${sandbox.intelligenceUrl}

What to type into the n8n credentials:

${accountText(sandbox)}

VMs take logins on ${HOST} from whoever has a key of their deployment: commands run as you, in a temporary folder.

Devices for the explorer:

${devices.map((device) => `  ${device.device_id}  ${device.hardware_name}`).join('\n')}

Press Ctrl-C to stop.`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.once(signal, () => {
		void sandbox.close();
	});
}

function fail(message: string): never {
	console.error(message);
	process.exit(1);
}
