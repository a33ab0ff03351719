import type { IDataObject } from 'n8n-workflow';
import { isRecord } from '../../nodes/shared/guards.ts';
import type { PagedList } from '../../nodes/shared/http/pages.ts';
import { numberedPages } from '../../nodes/shared/http/pagination.ts';
import { json, skipPauses, useApi, type Received } from '../engine/api.mts';

export const LIST: PagedList = {
	path: '/{service}/things',
	query: { state: 'up' },
	paging: numberedPages(1),
	entries: ({ data }) => isRecord(data) && data.things,
	key: ({ id }) => (typeof id === 'string' ? id : undefined),
};

export const idsOf = (entries: IDataObject[]) => entries.map(({ id }) => id);
export const queryOf = ({ url }: Received) =>
	Object.fromEntries(new URL(url, 'http://x').searchParams);
export const page = (...ids: unknown[]) =>
	json({ data: { things: ids.map((id) => (typeof id === 'object' ? id : { id })) } });

/** A service whose lists come in pages, and a client whose pauses take no time. */
export function usePages() {
	skipPauses();
	const service = useApi();

	/** The service has these pages, by number; a page that it does not have is refused or empty. */
	function servePages(pages: Record<number, ReturnType<typeof json>>, otherwise = page()): void {
		service.answers = [
			(response, request) => (pages[Number(queryOf(request).page)] ?? otherwise)(response, request),
		];
	}
	const pagesAsked = () => service.received.map((request) => Number(queryOf(request).page));

	return { service, servePages, pagesAsked };
}
