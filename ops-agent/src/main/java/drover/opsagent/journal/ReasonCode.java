package drover.opsagent.journal;

/** Every stable reason an attempt fails or is refused for. Codes are never renamed or reused. */
public enum ReasonCode {
    /** Nothing went wrong. */
    NONE,
    /** The bytes are not those the digest names. */
    CHECKSUM_MISMATCH,
    /** The artifact ended early and could not be resumed. */
    DOWNLOAD_TRUNCATED,
    /** The artifact is larger than stated or than this node allows. */
    DOWNLOAD_TOO_LARGE,
    /** The artifact came below the floor rate. */
    DOWNLOAD_TOO_SLOW,
    /** The address cannot be reached. */
    DOWNLOAD_FAILED,
    /** The node's own policy does not allow the address. */
    DOWNLOAD_REFUSED,
    /** Nothing is at the address. */
    ARTIFACT_NOT_FOUND,
    /** There is no room, or the disk filled up. */
    DISK_FULL,
    /** The disk did not do what it was asked. */
    DISK_ERROR,
    /** What is on the node is neither source nor target. */
    DRIFTED,
    /** The program did not stay up. */
    START_FAILED,
    /** Some process of the program did not go away. */
    STOP_FAILED,
    /** What runs is not what was installed. */
    PROOF_FAILED,
    /** Backup, its manifest and the journal do not agree; nothing was written. */
    BACKUP_MISMATCH,
    /** An action took longer than it may. */
    ACTION_TIMED_OUT,
    /** The whole attempt took longer than it may. */
    BUDGET_SPENT,
    /** The attempt went round in circles. */
    LOOP_GUARD,
    /** The agent was restarted before it could safely go on. */
    AGENT_RESTARTED,
    /** Somebody on the node asked for the way back. */
    ROLLED_BACK_LOCALLY,
    /** The body needs a feature this agent does not have. */
    UNSUPPORTED_FEATURE,
    /** The kind of work is not known, or type and body disagree. */
    UNKNOWN_WORK,
    /** A field of the body is missing or malformed. */
    MALFORMED_BODY,
    /** A later attempt has been seen. */
    STALE_ATTEMPT,
    /** A later leader has been seen. */
    STALE_EPOCH,
    /** The attempt was accepted with another body. */
    BODY_DIFFERS,
    /** Another agent of this node holds the executor lock. */
    NOT_EXECUTOR,
    /** An earlier attempt is still under way. */
    BUSY,
    /** The node could not be brought back earlier and was not cleared. */
    NEEDS_CLEAR,
    /** The body is for another node. */
    WRONG_NODE,
    /** There is no backup to restore from. */
    NO_BACKUP,
    /** A path leaves the node's root, or is no plain file. */
    PATH_REFUSED,
    /** The user that starts the program may not execute its file. */
    NOT_EXECUTABLE,
    /** The agent may not read what a process executes. */
    NOT_INSPECTABLE,
    /** The artifact is a program for another kind of machine. */
    WRONG_PLATFORM,
    /** The unit is none that this agent can care for, or may. */
    PROGRAM_REFUSED,
    /** What runs the node's programs does not answer, or does not do what it is asked. */
    RUNTIME_UNAVAILABLE,
    /** The program is not on this node. */
    UNKNOWN_PROGRAM,
    /** The program does not run, so that what runs cannot be told. */
    NOT_RUNNING,
    /** What runs is another file, or launched otherwise, than the profile says. */
    OTHER_PROGRAM,
    /** The node knows the program already, as something else. */
    ADOPTED_OTHERWISE,
    /** The container engine does not answer, or did something else than it was asked. */
    ENGINE_FAILED,
    /** The agent is being replaced: the command is taken when it is sent again. */
    DRAINING,
    /** The agent is part of something else and has no jar of its own to replace. */
    NO_OWN_JAR,
    /** The directory of that version holds other bytes. */
    VERSION_TAKEN,
    /** The agent's new version found something wrong with itself or its surroundings. */
    SELF_TEST_FAILED,
    /** The agent's new version could not be started. */
    SUCCESSOR_FAILED,
    /** The control plane was there, and did not hear of the agent's new version in time. */
    SUCCESSOR_UNSEEN,
    /** The node's own policy asks for a signed release, and none came along. */
    SIGNATURE_MISSING,
    /** Too few of the keys that this node trusts signed the release as it stands. */
    SIGNATURE_INVALID,
    /** The release is over: something newer may be kept from the node. */
    RELEASE_EXPIRED,
    /** The release is older than what this node has seen, or below a floor. */
    RELEASE_TOO_OLD,
    /** The release is signed for something else than the command asks for. */
    RELEASE_DIFFERS,
    /** The node's own policy asks for signed commands, and nobody signed this one. */
    COMMAND_UNSIGNED,
    /** The command is signed, but by no key that this node trusts with commands. */
    COMMAND_SIGNER_UNKNOWN,
    /** What came is not what was signed. */
    COMMAND_ALTERED,
    /** What was signed is over: it was kept back, or a clock is wrong. */
    COMMAND_EXPIRED,
    /** What came was signed for another node. */
    COMMAND_REPLAYED,
    /** The node's root of trust is missing, over, or was not handed over as it must be. */
    TRUST_UNUSABLE,
    /** A bug in the agent; its log has the details. */
    INTERNAL
}
