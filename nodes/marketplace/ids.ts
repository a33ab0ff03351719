/** Whether two IDs are one: some services show one in another case than that of their answer. */
export function isSameId(one: string | undefined, other: string | undefined): boolean {
	return one !== undefined && other !== undefined && idKey(one) === idKey(other);
}

/** Whether an ID is among others, in whatever case. */
export function hasId(ids: Array<string | undefined>, id: string | undefined): boolean {
	return ids.some((one) => isSameId(one, id));
}

/** What is remembered of an ID is kept under this, and passed on as the service has spelled it. */
export function idKey(id: string): string {
	return id.toLowerCase();
}
