import { expect, it } from 'vitest';
import { listEntries } from '../../nodes/shared/http/pagination.ts';
import { LIST, page, queryOf, usePages } from './listPages.mts';

const { service } = usePages();

// In a file of its own: it takes longer than all other tests of lists
it('a list of more than 1,000 pages is an error', async () => {
	service.answers = [(response, request) => page(queryOf(request).page)(response, request)];
	await expect(listEntries(await service.api(), LIST)).rejects.toThrow(
		'The list has more than 1000 pages',
	);
	expect(service.received).toHaveLength(1_000);
});
