import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { startSandbox } from '../sandbox/index.mts';
import { Client } from '../sandbox/testing/client.mts';

function run(...args: string[]) {
	const program = new URL('../sandbox/main.mts', import.meta.url).pathname;
	return spawn(process.execPath, ['--import', 'tsx', program, ...args], {
		stdio: ['ignore', 'pipe', 'pipe'],
	});
}

it.each(['SIGINT', 'SIGTERM'] as const)(
	'runs by itself, tells what to type in, and ends on %s',
	async (signal) => {
		const child = run('--port', '0', '--speed', '60');
		const told = new Map<string, string>();
		for await (const line of createInterface({ input: child.stdout })) {
			const [, label = '', value = ''] =
				/^.*(Compute service|Base URL|API Key|Access Token)\s{2,}(\S+)$/.exec(line) ?? [];
			if (label !== '' && !told.has(label)) told.set(label, value);
			if (line.includes('Ctrl-C')) break;
		}
		const url = told.get('Compute service') ?? '';
		expect(told.get('Base URL')).toBe(url);
		const client = new Client(url, { 'x-api-key': told.get('API Key') ?? '' });
		expect((await client.get('/enterprise/v1/svc-cloud/vmaas/hardware')).status).toBe(200);
		child.kill(signal);
		expect(await once(child, 'exit')).toEqual([0, null]);
		await client.close();
	},
);

it.each([
	[['--port', 'x'], '--port must be 0 to 65535, got x'],
	[['--speed', '0'], '--speed must be a number above 0, got 0'],
])('refuses %j', async (args, message) => {
	const child = run(...args);
	let told = '';
	child.stderr.on('data', (piece) => (told += String(piece)));
	expect(await once(child, 'close')).toEqual([1, null]);
	expect(told).toContain(message);
});

it('says which way out there is when the port is taken', async () => {
	const sandbox = await startSandbox();
	const { port } = new URL(sandbox.url);
	const child = run('--port', port);
	let told = '';
	child.stderr.on('data', (piece) => (told += String(piece)));
	expect(await once(child, 'close')).toEqual([1, null]);
	expect(told).toContain(`Port ${port} is taken`);
	await sandbox.close();
});
