import type { Resource } from '../../shared/operation/operation';
import { idField } from '../../intelligence/retrieval/fields';
import { getOne } from '../crud';

const ids = [idField('User ID', 'userId', 'ID of a user, as returned by Get Me')];

/** Users and their limits (beyond-the-spec.md section 6 "Users"). */
export const user: Resource = {
	value: 'user',
	name: 'User',
	operations: [
		getOne('user', {
			path: '/users/me',
			value: 'getMe',
			name: 'Get Me',
			action: 'Get user of credential',
			description: 'Retrieve the user that the credential belongs to',
		}),
		getOne('user', { path: '/users/{userId}', ids }),
		getOne('limits', {
			path: '/users/{userId}/limits',
			ids,
			value: 'getLimits',
			name: 'Get Limits',
			action: 'Get limits of user',
			description: 'Retrieve the limits of a user and how much of them is used',
		}),
	],
};
