import { describe, expect, it } from 'vitest';
import { readSshAccess } from '../../nodes/marketplace/ssh.ts';
import { scriptOf } from '../../nodes/Vmaas/resources/vm/commandForm.ts';
import { Tail } from '../../nodes/shared/ssh/tail.ts';

describe('readSshAccess', () => {
	it.each([
		['ubuntu@203.0.113.7', 'ubuntu', '203.0.113.7', 22],
		[' root@vm.example ', 'root', 'vm.example', 22],
		['ubuntu@203.0.113.7:2222', 'ubuntu', '203.0.113.7', 2222],
		['ssh ubuntu@vm.example -p 2222', 'ubuntu', 'vm.example', 2222],
		['ssh -p2222 -i ~/.ssh/key ubuntu@vm.example', 'ubuntu', 'vm.example', 2222],
		['ssh -o StrictHostKeyChecking=no -l ubuntu vm.example', 'ubuntu', 'vm.example', 22],
		['ssh://ubuntu@vm.example:2222/', 'ubuntu', 'vm.example', 2222],
		['ubuntu@[2001:db8::7]:2222', 'ubuntu', '2001:db8::7', 2222],
		['ubuntu@2001:db8::7', 'ubuntu', '2001:db8::7', 22],
		['ubuntu@localhost', 'ubuntu', 'localhost', 22],
		['203.0.113.7', undefined, '203.0.113.7', 22],
	])('%s', (ssh_access, ssh_user, ssh_host, ssh_port) => {
		expect(readSshAccess({ ssh_access })).toEqual({
			...(ssh_user !== undefined && { ssh_user }),
			ssh_host,
			ssh_port,
		});
	});

	it('the port of a network service for SSH, where the address has none', () => {
		const network_services = { shell: { port: 22, public_port: 31_022 } };
		const read = (ssh_access: string) => readSshAccess({ ssh_access, network_services })?.ssh_port;
		expect(read('ubuntu@203.0.113.7')).toBe(31_022);
		expect(read('ubuntu@203.0.113.7:2222')).toBe(2222);
	});

	it.each([
		...['', 'pending', 'N/A', 'ubuntu@None', 'ubuntu@', 'on request', 'ubuntu@-oProxyCommand=x.y'],
		...['ubuntu@vm.example:0', 'ubuntu@vm.example:70000', 'a@b.c;id', null, undefined, 22, {}],
	])('%j is none', (ssh_access) => {
		expect(readSshAccess({ ssh_access } as never)).toBeUndefined();
	});
});

describe('scriptOf', () => {
	it('quotes what a shell would read', () => {
		expect(scriptOf('run', `/a 'b' $c`, [['X', `it's`]])).toBe(
			`export X='it'\\''s'\ncd '/a '\\''b'\\'' $c' || exit\nrun`,
		);
		expect(scriptOf('run', '~/job', [])).toBe(`cd "$HOME"/'job' || exit\nrun`);
		expect(scriptOf('run', '-x', [])).toBe(`cd './-x' || exit\nrun`);
		expect(scriptOf('run', '~', [])).toBe('run');
	});
});

describe('Tail', () => {
	it('keeps the end, whatever the chunks', () => {
		const text = 'aä€😀'.repeat(500);
		const bytes = Buffer.from(text);
		for (const size of [1, 2, 3, 7, 100, bytes.length])
			for (const kept of [1, 4, 5, 6, 99, bytes.length]) {
				const tail = new Tail(kept);
				for (let at = 0; at < bytes.length; at += size) tail.add(bytes.subarray(at, at + size));
				expect(text.endsWith(tail.text())).toBe(true);
				expect(Buffer.byteLength(tail.text())).toBeGreaterThan(kept - 4);
				expect(Buffer.byteLength(tail.text())).toBeLessThanOrEqual(kept);
				expect(tail.bytes).toBe(bytes.length);
			}
	});
});
