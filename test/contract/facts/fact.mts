/** A heading of a specification, and each fact that stands under it: its stable id, and what it says in our own words. */
export interface Section {
	/** Document and heading. */
	from: string;
	/** By id, as the titles of tests name it: `[deploy.gpus_per_vm.max] …`. */
	facts: Record<string, string>;
}
