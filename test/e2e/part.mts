/** `FORMS_PART=2/8`: every eighth of a list from the second on. A change does not wait for all forms and canvases */
const [part = 1, parts = 1] = (process.env.FORMS_PART ?? '1/1').split('/').map(Number);

export function partOf<T>(all: readonly T[]): T[] {
	return all.filter((_, index) => index % parts === part - 1);
}
