import type { IDataObject, IRun } from 'n8n-workflow';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startEngine, outputOf } from '../../engine/engine.mts';
import { freshAccount } from '../../engine/credentials.mts';
import { CONTINUE, jobParameters, MARKETPLACE, RETRY, SSH, vmaas } from '../../engine/nodes.mts';
import { OWN_KEY, sshCredential } from '../../engine/sshKey.mts';
import { VirtualTime } from '../../engine/virtualTime.mts';
import { Habits, Vm } from '../jobs/vm.mts';
import { HOUR, Service, type Machine } from './service.mts';
import { KEY, told } from './stage.mts';

interface Set {
	service: Service;
	habits: Habits;
	run(parameters: IDataObject, settings?: object, cancel?: AbortSignal): Promise<IRun>;
}

/** A machine for each purchase, with an SSH server that runs what it is told. */
async function machines(
	change: (machine: Machine, vm: Vm) => IDataObject = () => ({}),
): Promise<Set> {
	const service = await new Service().open();
	const habits = new Habits();
	const vms = new Map<string, Vm>();
	const started: Array<Promise<unknown>> = [];
	const vmOf = (machine: Machine): Vm => {
		const isUp = () => machine.endedAt === undefined && service.clock.now() >= machine.startedAt;
		const vm = vms.get(machine.id) ?? new Vm(machine.id, habits, isUp);
		if (!vms.has(machine.id)) started.push(vm.start());
		vms.set(machine.id, vm);
		return vm;
	};
	service.deployed = (machine) => {
		vmOf(machine);
		return { status: 'deployment requested', deployment_id: machine.id };
	};
	service.vms = (machine) => [
		{
			vm_id: `vm-${machine.id}`,
			status: 'running',
			ssh_access: vmOf(machine).address,
			...change(machine, vmOf(machine)),
		},
	];
	const isBusy = () => [...vms.values()].some(({ busy }) => busy > 0);
	const time = new VirtualTime(service.clock, () => service.held, isBusy);
	onTestFinished(() => {
		time.restore();
		for (const vm of vms.values()) vm.close();
		service.close();
	});
	const engine = await startEngine({
		'compute-marketplace': {
			type: 'computeMarketplaceApi',
			data: { baseUrl: service.url, service: 'svc', apiKey: KEY },
			account: freshAccount(),
		},
		'compute-ssh': sshCredential(OWN_KEY.privateKey),
	});
	return {
		service,
		habits,
		run: async (parameters, settings = {}, cancel) => {
			const credentials = { ...MARKETPLACE, ...SSH };
			const node = vmaas('job', 'run', jobParameters(parameters), { credentials, ...settings });
			return await time.during(engine.run(node, [{}], { cancel }), 24 * HOUR);
		},
	};
}

const expectOver = ({ service }: Set, bought = 1) => {
	expect(service.machines).toHaveLength(bought);
	expect(service.machines.every(({ endedAt }) => endedAt !== undefined)).toBe(true);
};

describe('the files of a job', () => {
	it('come back byte by byte, and those that are missing are named', async () => {
		const set = await machines();
		const command = [
			'head -c 3000000 /dev/urandom >a.bin; sha256sum a.bin >a.sum',
			'printf "\\377\\000\\001\\r\\n" >"b ü.bin"',
			': >empty',
			'ln -s a.bin link; ln -s nowhere broken; mkfifo pipe; mkdir folder',
			'ln -s /dev/zero zero',
		].join('\n');
		const resultFiles = 'a.bin, a.sum, b ü.bin, empty, link, broken, pipe, folder, zero, none';
		const run = await set.run({ command, resultFiles });
		const [item] = outputOf(run);
		const files = item?.json.files as Array<{ path: string; sha256: string; bytes: number }>;
		expect(files.map(({ path }) => path)).toEqual(['a.bin', 'a.sum', 'b ü.bin', 'empty', 'link']);
		expect(item?.json.missing_files).toEqual(['broken', 'pipe', 'folder', 'zero', 'none']);
		const sum = Buffer.from(item?.binary?.file_1?.data ?? '', 'base64')
			.toString()
			.slice(0, 64);
		expect(files[0]?.sha256).toBe(sum);
		expect(item?.json).toMatchObject({ destroyed: true, verified: true, exit_code: 0 });
		expectOver(set);
	});

	it.each([
		['a file of 200 MB', 'truncate -s 200M big', 'big'],
		['101 files', 'for i in $(seq 101); do : >f$i; done', 'f*'],
	])(
		'that are too many or too large (%s) end the machine, and tell',
		async (_, command, resultFiles) => {
			const set = await machines();
			const { error, all } = told(await set.run({ command: `echo 42; ${command}`, resultFiles }));
			expect(error).toBeDefined();
			// What it has said is not lost
			expect(`${all}${JSON.stringify(error)}`).toContain('dep-1');
			expectOver(set);
		},
	);

	it('are lost neither by Retry On Fail nor by another item, and nothing is bought again', async () => {
		const set = await machines();
		const parameters = { command: 'echo $RANDOM >r; exit 3', resultFiles: 'r' };
		const options = { options: { onNonZeroExit: 'output' } };
		const run = await set.run({ ...parameters, ...options }, RETRY);
		expect(outputOf(run)[0]?.json).toMatchObject({ exit_code: 3, destroyed: true });
		expectOver(set);
	});
});

describe('what a job says', () => {
	it.each([
		['30 MB in one line', 'head -c 30000000 /dev/zero | tr "\\0" x', 30_000_000],
		['bytes of any kind', 'head -c 500000 /dev/urandom', 500_000],
		['nothing', ':', 0],
	])('(%s) is its tail', async (_, command, bytes) => {
		const set = await machines();
		const [item] = outputOf(await set.run({ command }));
		expect(item?.json).toMatchObject({ stdout_bytes: bytes, destroyed: true });
		expect(Buffer.byteLength(String(item?.json.stdout))).toBeLessThanOrEqual(3 * 65_536);
		expectOver(set);
	});
});

describe('a VM that', () => {
	const SHOWN: Array<[string, (machine: Machine, vm: Vm) => IDataObject]> = [
		['has no address', () => ({ ssh_access: null })],
		['has a word in place of an address', () => ({ ssh_access: 'pending' })],
		['has an address of nobody', () => ({ ssh_access: 'root@203.0.113.1:22' })],
		['has a port of nobody', () => ({ ssh_access: 'root@127.0.0.1:1' })],
		['has options in its address', () => ({ ssh_access: '-oProxyCommand=id root@127.0.0.1' })],
		['has the address of the service', () => ({ ssh_access: 'root@127.0.0.1:80' })],
		['was replaced', () => ({ status: 'replaced' })],
		['has ended', () => ({ status: 'destroyed' })],
	];
	it.each(SHOWN)('%s ends with its job', async (_, change) => {
		const set = await machines(change);
		const { error } = told(await set.run({ command: ':', options: { waitTimeout: 60 } }));
		expect(error).toContain('dep-1');
		expectOver(set);
	});

	it.each(['hang', 'cut', 'lost', 'no status'] as const)(
		'answers each command by "%s" ends with its job',
		async (fate) => {
			const set = await machines();
			set.habits.fate = () => fate;
			const { all } = told(await set.run({ command: ':', options: { waitTimeout: 60 } }, CONTINUE));
			expect(all).toContain('dep-1');
			expectOver(set);
		},
	);

	it('ends in the middle of a job takes nothing else with it', async () => {
		const set = await machines();
		let count = 0;
		set.habits.fate = () => {
			if (++count === 6) set.service.made(1).endedAt = set.service.clock.now();
			return undefined;
		};
		const { error } = told(await set.run({ command: 'sleep 2; echo done' }));
		expectOver(set);
		if (error !== undefined) expect(error).toContain('dep-1');
	});
});
