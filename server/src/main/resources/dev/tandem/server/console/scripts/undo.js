// The undo of a change: the requests that take it back, from what its button or form says of them.

/** Returns the revision that a change has given to a limit. */
const revisionOf = (told) => (told.limit ?? told.rateLimit)?.revision;

/**
 * Returns what a message needs to offer an undo; undefined if the change has none.
 *
 * @param dataset of the button or form
 * @param told the answer to the change. The undo of a limit names the revision in it, so that nobody takes back what another one has
 *     changed after it
 */
export const undoOf = ({ undoUrl, undoMethod, undoBody, undone }, told) => undoUrl && {
  urls: [undoUrl.replace('{revision}', revisionOf(told))],
  method: undoMethod,
  body: undoBody,
  done: undone,
};
