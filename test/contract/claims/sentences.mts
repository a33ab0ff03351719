/** Around the text of a link. */
const [OPEN, CLOSE] = ['\u0001', '\u0002'];
const MARKS = new RegExp(`[${OPEN}${CLOSE}]`, 'g');
/** Nothing but links, such as a table of contents. */
const ONLY_LINKS = new RegExp(`^(?:${OPEN}[^${CLOSE}]*${CLOSE}[ ·.]*)*$`);
const SENTENCE_END = new RegExp(`(?<=[.!?]${CLOSE}?) (?=${OPEN}?(?:[A-Z\`]|n8n))`);
const LIST_ITEM = /^ *(?:-|\d+\.) /;

const plain = (markdown: string) =>
	markdown
		.replace(/!\[[^\]]*\]\([^)]+\)|<img [^>]*>/g, '')
		.replace(/\[([^\]]+)\]\([^)]+\)/g, `${OPEN}$1${CLOSE}`)
		.replace(/(?<!\w)_|_(?!\w)|\*\*/g, '')
		.replace(/\s+/g, ' ')
		.trim();

/** Sentences of the prose and rows of the tables, without headings, pictures, code, emphasis and what is nothing but links. */
export function sentencesOf(markdown: string): string[] {
	const blocks = markdown
		.replace(/^ *```[\s\S]*?^ *```$/gm, '')
		.split(/\n\s*\n|\n(?= *(?:-|\d+\.) )/)
		.filter((block) => !block.startsWith('#'));
	const sentences = blocks.flatMap((block) => {
		if (!block.startsWith('|')) return plain(block.replace(LIST_ITEM, '')).split(SENTENCE_END);
		// Below the names of the columns and the line
		return block
			.trim()
			.split('\n')
			.slice(2)
			.map((row) => row.split('|').map(plain).filter(Boolean).join(' | '));
	});
	return sentences
		.filter((sentence) => !ONLY_LINKS.test(sentence))
		.map((sentence) => sentence.replace(MARKS, ''));
}
