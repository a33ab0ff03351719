const plain = (markdown: string) =>
	markdown
		.replace(/!\[[^\]]*\]\([^)]+\)|<img [^>]*>/g, '')
		.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')
		.replace(/(?<!\w)_|_(?!\w)|\*\*/g, '')
		.replace(/\s+/g, ' ')
		.trim();

const LIST_ITEM = /^ *(?:-|\d+\.) /;

/** Sentences of the prose and rows of the tables, without headings, pictures, code and emphasis. */
export function sentencesOf(markdown: string): string[] {
	const blocks = markdown
		.replace(/^ *```[\s\S]*?^ *```$/gm, '')
		.split(/\n\s*\n|\n(?= *(?:-|\d+\.) )/)
		.filter((block) => !block.startsWith('#'));
	const sentences = blocks.flatMap((block) => {
		if (!block.startsWith('|'))
			return plain(block.replace(LIST_ITEM, '')).split(/(?<=[.!?]) (?=[A-Z`]|n8n)/);
		// Below the names of the columns and the line
		return block
			.trim()
			.split('\n')
			.slice(2)
			.map((row) => row.split('|').slice(1, -1).map(plain).join(' | '));
	});
	return sentences.filter((sentence) => sentence !== '');
}
