import type { Head } from './reply';

/** Largest answer that is read into memory, after decompression. */
export const LARGEST_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Reads a whole body. Past the size limit, the deadline or a cancellation the socket is destroyed.
 * @param largestBytes after decompression
 * @returns the bytes, or why the response is incomplete
 */
export async function readBytes(
	head: Head,
	signal?: AbortSignal,
	largestBytes = LARGEST_BODY_BYTES,
): Promise<{ bytes: Buffer } | { problem: string; tooLarge: boolean }> {
	const { body, deadlineSignal } = head;
	const destroy = () => body.destroy();
	const signals = [signal, deadlineSignal].filter((one) => one !== undefined);
	signals.forEach((one) => one.addEventListener('abort', destroy));
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	try {
		if (signals.some((one) => one.aborted)) destroy();
		for await (const chunk of body) {
			bytes += chunk.byteLength;
			if (bytes > largestBytes) {
				return {
					problem: `The response is larger than ${largestBytes / 1024 / 1024} MiB`,
					tooLarge: true,
				};
			}
			chunks.push(chunk);
		}
		return { bytes: Buffer.concat(chunks) };
	} catch {
		const problem = deadlineSignal?.aborted
			? 'The response was incomplete at the deadline'
			: 'The connection was lost while reading the response';
		return { problem, tooLarge: false };
	} finally {
		signals.forEach((one) => one.removeEventListener('abort', destroy));
		destroy();
	}
}

/** The text of a body; otherwise as {@link readBytes}. */
export async function readText(
	head: Head,
	signal?: AbortSignal,
): Promise<{ text: string } | { problem: string; tooLarge: boolean }> {
	const read = await readBytes(head, signal);
	return 'problem' in read ? read : { text: new TextDecoder().decode(read.bytes) };
}
