// The page: the elements that all modules use, its texts, and how its language writes numbers.

export const body = document.body;
export const content = document.getElementById('content');
export const language = document.documentElement.lang;

const numbers = new Intl.NumberFormat(language);

/** Returns a number as the language of the page has it. */
export const inNumbers = (number) => numbers.format(number);
