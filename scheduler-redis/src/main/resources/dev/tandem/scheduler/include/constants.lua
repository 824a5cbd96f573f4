-- The codes that scripts and program exchange, the codes that Redis keeps, and limits: each under one name. Every
-- script and include may use these names. When a script is assembled, the names are replaced by their values, so they
-- cost no time, no local and no upvalue. ScriptCodes is the Java side; a test compares the two.

-- How a request was answered: the first element of the reply to every request of the store protocol.
local REPLY_OK = 0
local REPLY_APPLIED = 1
local REPLY_GAP = 2
local REPLY_FENCED = 3
local REPLY_REFUSED = 4

-- The request header: indexes in ARGV.
local HEADER_WRITER = 1
local HEADER_NUMBER = 2
local HEADER_EPOCH = 3
local HEADER_HIGHEST_TOKEN = 4

-- Fields of the owner, as indexes in the table `owner`. Only `acquire` reads those from OWNER_LEASE on.
local OWNER_EPOCH = 1
local OWNER_TOKEN = 2
local OWNER_EXECUTOR = 3
local OWNER_INCARNATION = 4
local OWNER_HIGH_WATER = 5
local OWNER_STORED_COMMIT = 6
local OWNER_QUIET_UNTIL = 7
local OWNER_NUMBER = 8
local OWNER_LEASE = 9
local OWNER_GENERATION = 10
local OWNER_RUN_ID = 11
local OWNER_SOURCE = 12
local OWNER_LEAD = 13
local OWNER_RELEASED = 14
local OWNER_ACQUIRED = 15
local OWNER_WORKED = 16

-- How a task ended: the verdict of a settle. These letters are only sent.
local VERDICT_SUCCESS = 'K'
local VERDICT_EXPIRED = 'E'
local VERDICT_CANCELLED = 'C'
local VERDICT_RETRY = 'R'
local VERDICT_DEAD_HALT = 'H'
local VERDICT_DEAD_SKIP = 'P'
local VERDICT_DEAD_DRAIN = 'D'
local VERDICT_RETURNED = 'B'

-- What became of a settle.
local SETTLE_OK = 0
local SETTLE_OPENED = 1
local SETTLE_DONE = 2
local SETTLE_REFUSED = 3
local SETTLE_NEXT = 4

-- What became of a claim that is not plainly claimed.
local CLAIM_LAPSED_BEFORE = 1
local CLAIM_DONE = 2
local CLAIM_KEY_BLOCKED = 3

-- Whether a run may write notes.
local RUN_CLAIMED = 0
local RUN_ENDED = 1
local RUN_UNKNOWN = 2

-- What a process asks about a deduplication key, or tells of a task that has it. These letters are only sent.
local DEDUP_ASK = 'A'
local DEDUP_BEGIN = 'B'
local DEDUP_SUCCEEDED = 'S'
local DEDUP_FAILED = 'F'
local DEDUP_LATER = 'L'

-- Which of two tasks with one deduplication key runs. These letters are only sent.
local DEDUP_FIRST = 'F'
local DEDUP_REPLACE = 'R'
local DEDUP_KEEP_LAST = 'K'

-- What is answered about a task with a deduplication key.
local DEDUP_GO = 0
local DEDUP_DUPLICATE = 1
local DEDUP_DONE = 2
local DEDUP_WAIT = 3
local DEDUP_NOTED = 4

-- What the task is doing that has a deduplication key. These letters are kept in Redis.
local BEARER_WAITS = 'w'
local BEARER_BEGUN = 'r'
local BEARER_DONE = 'd'
local BEARER_FAILED = 'f'
local BEARER_AWAITED = 'n'
-- How long an end is remembered at least: the task may run again, and is told that it has succeeded.
local DEDUP_KEPT_MILLIS = 600000
-- How many other tasks of one deduplication key are remembered.
local MAX_DEDUP_MARKS = 10000
-- How long behind its due time a duplicate is remembered even if there is no room for others.
local DEDUP_MARK_MILLIS = 3600000
-- How often room is made for further ones.
local DEDUP_SWEEP_MILLIS = 60000

-- What the identity of a task is that has a deduplication key: its content, which another message may have too; the id that
-- its publisher gave; or its place, whatever the incarnation of the log. These numbers are sent, and kept in Redis.
local IDENTITY_OF_CONTENT = 0
local IDENTITY_OF_MESSAGE = 1
local IDENTITY_OF_RECORD = 2

-- What a process asks about a task that waits for another one, or tells of it. These letters are only sent.
local DEPENDENCY_ASK = 'A'
local DEPENDENCY_LATER = 'L'
local DEPENDENCY_RELEASED = 'R'
local DEPENDENCY_OVER = 'O'

-- What is known of a task that another one waits for.
local DEPENDENCY_SUCCEEDED = 0
local DEPENDENCY_FAILED = 1
local DEPENDENCY_OPEN = 2
local DEPENDENCY_UNKNOWN = 3
local DEPENDENCY_NOTED = 4
-- How many tasks that wait for one deduplication key are remembered.
local MAX_DEPENDENTS = 100000
-- For how long they are remembered behind the end of their wait.
local DEPENDENTS_KEPT_MILLIS = 3600000
-- The longest time for which ends are remembered because tasks wait so long for others of the queue, and for how long such
-- waits are known themselves.
local MAX_EXPECTED_WAIT_MILLIS = 604800000
local EXPECTED_WAITS_KEPT_MILLIS = 2592000000

-- For how long an executor has one permit more than others that want more too, and what is kept of a limit that nobody uses.
local PERMIT_TURN_MILLIS = 600
local LIMIT_KEPT_MILLIS = 3600000
-- Names all executors in a message that says who should ask again.
local ALL_EXECUTORS = '*'
-- In the place of a revision: the limit has no override. For how long the revision of a reset is kept.
local NO_REVISION = 'none'
local RESET_LIMIT_KEPT_MILLIS = 86400000
-- How many buckets of a rate limit that are in use people can see, those whose tokens come last.
local MAX_SEEN_BUCKETS = 1000

-- What is known of a key's tasks below an offset, in the order of the enum LookBack.State.
local LOOK_UNREAD = 0
local LOOK_UNSETTLED = 1
local LOOK_CLEAR = 2
-- How many unsettled keys are listed, and how many slices of the blocked ones are looked at for them.
local MAX_LOOKED_BACK = 100
local MAX_LOOK_ROUNDS = 60

-- Why custody moves: the move of a hand-over. These letters are only sent.
local MOVE_SCHEDULE = 'S'
local MOVE_PARK = 'P'
local MOVE_ADOPT = 'A'
local MOVE_BURY = 'B'
local MOVE_CANCEL = 'C'
local MOVE_JOIN_LINE = 'L'

-- What became of a hand-over or a forwarded redelivery. Of these, OK and DONE are also kept in Redis, in `given`.
local HANDOVER_OK = 'O'
local HANDOVER_DONE = 'D'
local HANDOVER_OPEN = 'P'
local HANDOVER_FULL = 'F'
local HANDOVER_GONE = 'G'
local HANDOVER_NO_ROOM = 'M'

-- Why a key is blocked. These letters are kept in Redis, in `blocked`.
local BLOCKED_BY_HEAD = 'H'
local BLOCKED_BY_OTHER_OWNER = 'F'
local BLOCKED_BY_REDELIVERY = 'R'
local BLOCKED_BY_HALT = 'X'

-- What became of an operator's change.
local CHANGE_NOT_FOUND = 0
local CHANGE_DONE = 1
local CHANGE_ACTIVE = 2
local CHANGE_UNFINISHED = 3
local CHANGE_OTHER_STATE = 4
local CHANGE_HALTS_KEY = 5
local CHANGE_NOT_HALTED = 6
local CHANGE_STALE = 7

-- Which tasks a deletion may take: dead ones, dead ones that halt no key, waiting ones (to cancel them); '': any of them.
local DELETE_ANY = ''
local DELETE_DEAD = 'dead'
local DELETE_NOT_HALTING = 'not-halting'
local DELETE_WAITING = 'waiting'
-- Gives up the head of a key that is not halted.
local CHANGE_FORCED = 'force'
local CHANGE_MADE = 'made'

-- Where a drain goes on: it began with an operator's call, with one that gave up a head that was alive, or with a dead
-- task and is noted in `owner`. All have GO_ON_LENGTH letters.
local GO_ON_LENGTH = 5
local GO_ON_BEGUN = 'begun'
local GO_ON_ALIVE = 'alive'
local GO_ON_NOTED = 'noted'

-- As an incarnation: the partition is one of a message queue, and has no offsets.
local NO_INCARNATION = '-1'
-- As a mark, in the place of an offset or a page: nothing is noted; the message is certain to be delivered again.
local NO_MARK = -1
local AWAITS_REDELIVERY = -2

-- Arguments of one command: more do not fit on Lua's stack.
local MAX_COMMAND_ARGUMENTS = 4000
-- In the place of the executor's name in a claim: the claim is covered.
local COVERED_NAME = ''
-- A member longer than what Redis keeps in its compact lists. No position is as long (65 characters).
local WIDE_MEMBER = '~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~'
-- Lane sequence numbers begin in the middle of what a double counts exactly (2^52), so that there is room in front.
local MIDDLE_SEQUENCE = 4503599627370496
-- Scores in `scheduled` from 2^52 on are no times, but places in lines of tenants, see read_lines: so many for each line.
local FIRST_PLACE = 4503599627370496
local PLACES_IN_LINE = 68719476736
-- How many lines one answer names.
local MAX_FOUND_LINES = 100
-- With up to so many blocked keys, reading all of them is cheaper than asking for some by name.
local FEW_BLOCKED_KEYS = 32
-- Offsets in a chunk of settled bits, the blocks that it consists of, and the offsets in a block.
local CHUNK_OFFSETS = 16384
local CHUNK_BLOCKS = 32
local BLOCK_OFFSETS = 512
-- A task due in so many ms or more waits in a packed list. Lists have up to so many bytes, and are opened so early.
local FAR_MILLIS = 90000
local FAR_LIST_BYTES = 1000
local FAR_OPENS_EARLY_MILLIS = 10000
-- How many tasks claim_due moves out of packed lists, and how many due tasks it looks at.
local MAX_OPENED_FAR_TASKS = 2000
local MAX_DUE_TASKS = 1000
-- How many envelopes of due tasks are read at once, and after how many tasks without a key that fit neither as claims
-- nor as offers it looks no further.
local DUE_SLICE = 32
local MAX_SKIPPED_UNKEYED = 64
-- An offered task without a key is hidden for one in so many of a lease.
local AHEAD_SHARE = 8
-- Bytes of envelopes that a script reads before it leaves the rest for the next request. The last one may exceed it.
local MAX_ANSWER_BYTES = 1048576
-- A renewal estimates the memory of all envelopes from one in so many, and from no more than that. It does so again
-- after so long at the earliest, and not at all while there are fewer tasks.
local SAMPLED_SHARE = 16
local MAX_SAMPLED_ENVELOPES = 1000
local WEIGHED_EVERY_MILLIS = 60000
local FEWEST_WEIGHED_TASKS = 64
-- Entries of one page of what an acquire answers.
local MAX_PAGE_ENTRIES = 2000
-- How long a message queue's partition remembers settled positions.
local REDELIVERY_KEPT_MILLIS = 900000
-- Bytes of positions that the index keeps for one id.
local MAX_INDEXED_BYTES = 1000

-- Bounds of one script, whatever there is and whatever is asked for: none takes longer than some ten milliseconds.
-- Tasks of a page, the bytes of their envelopes (one more may come on top), and the far-off entries that it looks at.
local MAX_LISTED_TASKS = 500
local MAX_LISTED_BYTES = 1048576
local MAX_LISTED_FAR_TASKS = 2000
-- Tasks of which a page reads all but the envelopes at once.
local DESCRIBED_SLICE = 16
-- Claims that a page of active tasks scans at once.
local CLAIMS_PIECE = 100
-- The most steps in which it scans a piece of which the page before has seen a part.
local MAX_PIECE_STEPS = 40
-- Claims that the list of the longest running tasks scans for each task that it may have.
local SCANNED_FOR_EACH = 8
-- The most calls in which that list scans the claims.
local MAX_CLAIM_SCANS = 20
-- Keys of a page of blocked ones, and the places at which the fullest lane is looked for.
local MAX_LISTED_KEYS = 500
local SAMPLED_LANES = 128
-- A lane is searched in slices, so many at a time.
local LANE_SLICE = 500
local SEARCHED_SLICES = 4
-- Places of a lane whose task is gone. There are hardly ever any.
local MAX_GONE_IN_LANE = 10000
-- What dies at once when a lane is drained.
local MAX_DRAINED_TASKS = 125
local MAX_DRAINED_BYTES = 524288
-- How many times that an outcome drains a lane that has another head. No lane is so long.
local MAX_DRAINS_BEHIND_OTHER = 800
-- Begins a field of the owner: the key of a lane that is still to be drained -> the dead head.
local DRAIN_FIELD = 'drain:'
-- Tasks that an operation looks at and changes at once, the bytes of their envelopes (one more may come on top), and the
-- far-off entries that it looks at. How long its record in a partition is kept, and how many of them.
local MAX_CHANGED_TASKS = 100
local MAX_CHANGED_BYTES = 262144
local MAX_CHANGED_FAR_TASKS = 1000
local OPERATION_KEPT_MILLIS = 604800000
local MAX_OPERATION_RECORDS = 100
-- Bytes of dead tasks, and positions of one id, that are read to trim them.
local MAX_TRIMMED_BYTES = 524288
local MAX_TRIMMED_OF_ID = 16
-- Bytes of progress that one script reads and writes. The notes of one more run may come on top.
local MAX_PROGRESS_BYTES = 131072
-- Elements of pages, and blocks of bits, that a commit deletes. The rest goes with the next one, or is trimmed.
local MAX_DELETED_PAGES = 2000
local MAX_DELETED_BLOCKS = 4000
-- Keys that an answer names as opened. The next one names the rest.
local MAX_OPENED_KEYS = 5000
-- Field of the owner: what trim_successes has counted.
local SUCCESSES_FIELD = 'successes'
-- Where the hashes begin in an entry of `success-ids`; how many entries are read at once at first and at most, and about
-- how many bytes of them; how many bytes are read in all.
local SUCCESS_HASHES_AT = 13
local FIRST_SUCCESS_SLICE = 50
local MAX_SUCCESS_SLICE = 400
local MAX_SUCCESS_SLICE_BYTES = 65536
local MAX_SEARCHED_BYTES = 1048576
-- Events. Letters of their kinds, which are kept in Redis. Fields of the owner: the number of the next event, the bytes of all pages, and the number behind the last event that
-- was removed since the broker had confirmed it. Bytes in front of a page; pages that are read at once; pages that are returned, and that are dropped, in one call at most.
local EVENT_DEAD = 'D'
local EVENT_CANCELLED = 'C'
local EVENTS_FIELD = 'events'
local EVENT_BYTES_FIELD = 'event-bytes'
local EVENTS_SENT_FIELD = 'events-sent'
local EVENT_HEAD_BYTES = 16
local EVENT_SLICE = 32
local MAX_EVENT_PAGES = 1000
local MAX_DROPPED_PAGES = 1000
-- Bytes of an envelope's number.
local MAX_VARINT_BYTES = 10

-- Schedules. What the store says of an announced one, of a claim, and of a change, in the order of the enums of
-- dev.tandem.task.schedule.ScheduleBook.
local SCHEDULE_CURRENT = 0
local SCHEDULE_UNKNOWN = 1
local SCHEDULE_REPLACED = 2
local SCHEDULE_NO_ROOM = 3
local SCHEDULE_TAKEN = 4
local FIRING_CLAIMED = 0
local FIRING_BUSY = 1
local FIRING_MOVED = 2
local FIRING_PAUSED = 3
local FIRING_REPLACED = 4
local SCHEDULE_CHANGED = 0
local SCHEDULE_NOT_FOUND = 1
local SCHEDULE_IS_CURRENT = 2
local SCHEDULE_IS_STALE = 3
local SCHEDULE_DIFFERS = 4
local SCHEDULES_ARE_FULL = 5
-- Deleted schedules that are kept of a bucket, and for how long each can be restored.
local MAX_DELETED_SCHEDULES = 8
local DELETED_SCHEDULE_MILLIS = 600000

-- Fan-outs. What is asked or told. These letters are only sent.
local FAN_OUT_OPEN = 'O'
local FAN_OUT_NOTE = 'N'
local FAN_OUT_SEAL = 'S'
local FAN_OUT_ABANDON = 'A'
local FAN_OUT_CANCEL = 'C'
local FAN_OUT_TELL = 'T'
local FAN_OUT_ASK = 'Q'
local FAN_OUT_BEGIN = 'B'
local FAN_OUT_CLAIM = 'L'
local FAN_OUT_FINISH = 'F'
local FAN_OUT_POSTPONE = 'P'
local FAN_OUT_VIEW = 'V'
local FAN_OUT_NEST = 'M'
local FAN_OUT_END = 'E'
local FAN_OUT_WITHIN = 'W'

-- How a subtask ended. These letters are only sent.
local FAN_OUT_SUCCEEDED = 'S'
local FAN_OUT_FAILED = 'F'
local FAN_OUT_CANCELLED = 'C'

-- What is answered about a fan-out, in the order of the enum of dev.tandem.task.fanout.FanOutAnswer.
local ANSWER_OK = 0
local ANSWER_UNKNOWN = 1
local ANSWER_FENCED = 2
local ANSWER_CLOSED = 3
local ANSWER_NO_ROOM = 4
local ANSWER_NOT_REPEATABLE = 5
local ANSWER_DUPLICATE = 6
local ANSWER_COMPLETE = 7
local ANSWER_RESUMED = 8
local ANSWER_HAS_FAILED = 9

-- Why a fan-out was stopped, how far it is, and when failures stop it. These are kept in Redis, in the order of the enums.
local STOP_NO = 0
local STOP_FAILED = 1
local STOP_CANCELLED = 2
local STOP_ABANDONED = 3
local PHASE_OPEN = 0
local PHASE_SEALED = 1
local PHASE_COMPLETE = 2
local RULE_COMPLETE = 'C'
local RULE_FAIL_FAST = 'F'
local RULE_PARTIAL = 'P'

-- For how long a fan-out belongs to who claimed it, and for how long a master may be silent.
local FAN_OUT_CLAIM_MILLIS = 30000
local FAN_OUT_SILENT_MILLIS = 60000
-- For how long the number of a caller's last call is kept. If it is forgotten earlier than needed, the caller only repeats requests.
local FAN_OUT_CALLER_MILLIS = 600000
-- How many subtasks a master may publish beyond what it has noted.
local FAN_OUT_WINDOW = 2048
local FAN_OUT_MAX_ERRORS = 10
local FAN_OUT_PAGE = 200
-- How much of an error is noted when a subtask ends without a run, in bytes.
local MAX_NOTED_ERROR = 300
-- Operations. What becomes of one that is to begin, and whether one can be stopped.
local OPERATION_BEGUN = 0
local OPERATION_KNOWN = 1
local OPERATION_DIFFERS = 2
local OPERATION_NO_ROOM = 3
local OPERATION_STOPPING = 0
local OPERATION_ENDED = 1
local OPERATION_UNKNOWN = 2
-- How many that have ended are forgotten when another one begins.
local MAX_FORGOTTEN_OPERATIONS = 50
-- Tokens of the HTTP API. What became of one that was to be kept.
local TOKEN_ADDED = 0
local TOKENS_ARE_FULL = 1
local TOKEN_IS_NOT_FIRST = 2
-- What became of one that was to be forgotten.
local TOKEN_REMOVED = 0
local TOKEN_IS_UNKNOWN = 1
local TOKEN_IS_LAST = 2
-- Requests with a key of their caller. What becomes of one that is to begin.
local REQUEST_BEGUN = 0
local REQUEST_UNDER_WAY = 1
local REQUEST_DONE = 2
local REQUESTS_ARE_FULL = 3
local REQUESTS_OF_CALLER_ARE_FULL = 4
-- How many are forgotten when another one begins.
local MAX_FORGOTTEN_REQUESTS = 100
-- How long their keys stay behind the end of the last one, ms. Servers forget them in pieces before.
local KEPT_REQUESTS_GRACE = 3600000
-- Dead tasks by type and error: groups of a partition, the one beyond them, digits of a fingerprint, and bytes of an error's first line that are
-- compared, that are left of it when what differs is replaced, and that are shown.
local MAX_DEAD_GROUPS = 500
local OTHER_DEAD_GROUP = 'other'
local FINGERPRINT_LENGTH = 12
local MAX_COMPARED_ERROR = 512
local MAX_COMMON_ERROR = 200
local MAX_SHOWN_ERROR = 200
-- Statistics of queues: how long points are (minutes), and how many of each length are kept, in the order of the enum
-- StatisticsStep; how many that are too old one call removes; by how many minutes Redis's clock may go back without a new point.
local STATISTICS_MINUTE = 1
local STATISTICS_FIVE_MINUTES = 5
local STATISTICS_HOUR = 60
local MAX_STATISTICS_MINUTES = 180
local MAX_STATISTICS_FIVE_MINUTES = 300
local MAX_STATISTICS_HOURS = 336
local MAX_TRIMMED_STATISTICS = 100
local STATISTICS_CLOCK_BACK = 5
