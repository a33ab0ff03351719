/** A law that cannot hold in a world, whatever a client does. */
export interface Relaxation {
	law: string;
	/** Only in this scenario; default: in each. */
	scenario?: string;
	why: string;
}

/** A set of behaviours that the contract leaves open. */
export interface World {
	/** As in the table. */
	name: string;
	/** The only scenarios that touch it; default: all. */
	scenarios?: readonly string[];
	relaxed?: readonly Relaxation[];
}
