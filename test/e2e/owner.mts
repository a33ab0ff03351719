interface Person {
	email: string;
	firstName: string;
	lastName: string;
	password: string;
}

/** The one whose account n8n is set up with */
export const owner: Person = {
	email: 'owner@example.com',
	firstName: 'Test',
	lastName: 'Owner',
	// For an n8n that lives for a minute on this machine only
	password: 'Only-For-A-Minute-1',
};
