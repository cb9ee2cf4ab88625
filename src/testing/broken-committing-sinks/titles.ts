export const hidden = 'transactions: what is staged is not there before the commit, and then all of it is';
export const together = 'transactions: what is committed comes with the checkpoint, its writer and the books';
export const several = 'transactions: one commit is for several partitions, each with its own checkpoint';
export const oneAfterAnother = 'transactions: one transaction after another';
export const withoutOutput = 'transactions: a checkpoint moves without output too';
export const moved = 'transactions: a checkpoint that an operator moves has no writer';
export const sentAgain = 'transactions: a commit that is sent again brings nothing twice';
export const own = 'transactions: a transaction belongs to its connection';
export const deadLetters = 'transactions: dead letters are part of the transaction';
export const drops = 'aborts: an abort drops what is staged, and the next transaction begins with nothing';
export const takesBackNothing = 'aborts: an abort moves no checkpoint and takes back no commit';
export const endsNothing = 'aborts: an abort ends no session';
export const nothingToAbort = 'aborts: nothing can be aborted, also twice';
export const leavesOthers = 'aborts: an abort leaves what others have staged';
export const closed =
  'aborts: what is staged when the sink is closed is dropped; closing twice is closing once';
export const fencesAll =
  'fences: after a take nothing of the old session is committed, neither output nor checkpoint';
export const wholeOrNothing = 'fences: one that is fenced keeps the whole transaction from it, and is named';
export const goesOn = 'fences: after an abort the partitions that are not fenced go on';
export const takesOver = 'fences: whoever took the partition commits what the other could not';
export const ownTake = 'fences: a session that is taken again by its own worker fences the one before';
