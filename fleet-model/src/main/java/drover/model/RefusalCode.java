package drover.model;

/**
 * Every stable reason for which Drover refuses or fails a call, with the kind of failure it is.
 * Kept equal to {@code drover.error.v1.ErrorReason} by a test; codes are never renamed or reused.
 */
public enum RefusalCode {
    /** A field has a value that is not allowed; the message names it and says what is. */
    INVALID_FIELD(Kind.INVALID_ARGUMENT),
    /** A required field is missing; the message names it. */
    MISSING_FIELD(Kind.INVALID_ARGUMENT),
    /** A field is not known; the message names it. */
    UNKNOWN_FIELD(Kind.INVALID_ARGUMENT),
    /** A value is not one of those allowed; the message lists them. */
    UNKNOWN_VALUE(Kind.INVALID_ARGUMENT),
    /** A field given beside upgrade_id has another value than the manifest; leave it out. */
    FIELD_CONFLICTS_WITH_MANIFEST(Kind.INVALID_ARGUMENT),
    /** A rollout needs the artifact's checksum. */
    CHECKSUM_MISSING(Kind.INVALID_ARGUMENT),
    /** A checksum must be `sha256:` and 64 hexadecimal digits. */
    CHECKSUM_NOT_SHA256(Kind.INVALID_ARGUMENT),
    /** A container image must be pinned by `@sha256:`. */
    IMAGE_NOT_PINNED(Kind.INVALID_ARGUMENT),
    /** Version, digest and configuration of every target are what they would become. */
    NOTHING_TO_CHANGE(Kind.FAILED_PRECONDITION),
    /**
     * The target version equals the source version although the artifact differs; give the new
     * artifact a version of its own.
     */
    SAME_VERSION(Kind.INVALID_ARGUMENT),
    /** Another rollout is active for the chain; finish or cancel it first. */
    CHAIN_BUSY(Kind.FAILED_PRECONDITION),
    /** A breaking migration needs the canary strategy. */
    BREAKING_NEEDS_CANARY(Kind.INVALID_ARGUMENT),
    /** A breaking migration needs a recovery plan. */
    BREAKING_NEEDS_RECOVERY_PLAN(Kind.INVALID_ARGUMENT),
    /** A breaking migration needs acknowledge_state_risk. */
    BREAKING_NEEDS_ACKNOWLEDGEMENT(Kind.INVALID_ARGUMENT),
    /** The strategy is not supported by this version. */
    UNSUPPORTED_STRATEGY(Kind.INVALID_ARGUMENT),
    /** No node matches the chain, type and source version. */
    NO_TARGETS(Kind.FAILED_PRECONDITION),
    /** More than 10,000 nodes match; narrow the targets. */
    TOO_MANY_TARGETS(Kind.FAILED_PRECONDITION),
    /** There is no such rollout. */
    ROLLOUT_NOT_FOUND(Kind.NOT_FOUND),
    /** There is no such node. */
    NODE_NOT_FOUND(Kind.NOT_FOUND),
    /** The node is no target of the rollout. */
    NODE_NOT_IN_ROLLOUT(Kind.NOT_FOUND),
    /** There is no such manifest. */
    MANIFEST_NOT_FOUND(Kind.NOT_FOUND),
    /** The manifest has problems; validate it. */
    MANIFEST_INVALID(Kind.FAILED_PRECONDITION),
    /** There is no such chain profile. */
    CHAIN_PROFILE_NOT_FOUND(Kind.NOT_FOUND),
    /** The chain profile has problems. */
    CHAIN_PROFILE_INVALID(Kind.FAILED_PRECONDITION),
    /** The chain profile has no such program. */
    PROGRAM_NOT_FOUND(Kind.INVALID_ARGUMENT),
    /** The template file does not exist. */
    TEMPLATE_NOT_FOUND(Kind.INVALID_ARGUMENT),
    /** The template cannot be rendered; the message names line and column. */
    TEMPLATE_INVALID(Kind.INVALID_ARGUMENT),
    /** A template uses a variable that nothing defines. */
    VARIABLE_UNDEFINED(Kind.INVALID_ARGUMENT),
    /** The rendered files of a node are larger than 512 KiB in all. */
    RENDERED_TOO_LARGE(Kind.INVALID_ARGUMENT),
    /** A path leaves the node's root. */
    PATH_OUTSIDE_ROOT(Kind.INVALID_ARGUMENT),
    /** The rollout is already what the request asks for. */
    ALREADY(Kind.FAILED_PRECONDITION),
    /** The rollout has not started. */
    NOT_STARTED(Kind.FAILED_PRECONDITION),
    /** The rollout awaits no approval. */
    NOT_AWAITING(Kind.FAILED_PRECONDITION),
    /** The rollout has done nothing that could be rolled back. */
    NOTHING_DONE(Kind.FAILED_PRECONDITION),
    /** The rollout is paused; resume it. */
    USE_RESUME(Kind.FAILED_PRECONDITION),
    /** The rollout awaits approval; approve it. */
    USE_APPROVE(Kind.FAILED_PRECONDITION),
    /** The rollout is rolling back; pause it. */
    USE_PAUSE(Kind.FAILED_PRECONDITION),
    /** The rollout is paused; resume it first. */
    RESUME_FIRST(Kind.FAILED_PRECONDITION),
    /** The rollout is beyond the point where the request makes sense. */
    TOO_LATE(Kind.FAILED_PRECONDITION),
    /** The rollout has ended. */
    FINAL(Kind.FAILED_PRECONDITION),
    /** A later rollout has changed the program on a node; roll that one back. */
    SUPERSEDED(Kind.FAILED_PRECONDITION),
    /** Resuming beyond the threshold must acknowledge the present number of failures. */
    ACKNOWLEDGE_FAILURES(Kind.FAILED_PRECONDITION),
    /** Only a failed, unreachable or skipped node can be tried again. */
    NODE_NOT_FAILED(Kind.FAILED_PRECONDITION),
    /** The node has work open; wait until it is done. */
    NODE_IN_FLIGHT(Kind.FAILED_PRECONDITION),
    /** The node could not be brought back; clear it first. */
    NODE_FAILED_ROLLBACK(Kind.FAILED_PRECONDITION),
    /** The request waited longer than 60 s and was dropped; send it again if it is still wanted. */
    REQUEST_EXPIRED(Kind.FAILED_PRECONDITION),
    /** The idempotency key was used for another request. */
    IDEMPOTENCY_KEY_REUSED(Kind.FAILED_PRECONDITION),
    /** A leader with a higher epoch is at work. */
    STALE_EPOCH(Kind.FAILED_PRECONDITION),
    /** The node exists with another chain profile or type. */
    NODE_IDENTITY_FIXED(Kind.ALREADY_EXISTS),
    /** The node's token is unknown. */
    NODE_CREDENTIAL_UNKNOWN(Kind.UNAUTHENTICATED),
    /** The first message of an agent must be a Hello. */
    FIRST_MESSAGE_NOT_HELLO(Kind.INVALID_ARGUMENT),
    /** Another connection of the same node took over. */
    SESSION_SUPERSEDED(Kind.ABORTED),
    /** The protocol version is not supported. */
    PROTOCOL_UNSUPPORTED(Kind.FAILED_PRECONDITION),
    /** There is no such path. */
    ROUTE_NOT_FOUND(Kind.NOT_FOUND),
    /** The path does not take this method. */
    METHOD_NOT_ALLOWED(Kind.UNIMPLEMENTED),
    /** The body is not a JSON object, or is compressed (415). */
    BODY_NOT_JSON(Kind.INVALID_ARGUMENT),
    /** The body is larger than 1 MiB. */
    BODY_TOO_LARGE(Kind.INVALID_ARGUMENT),
    /** The database cannot be reached; try again. */
    STORE_UNAVAILABLE(Kind.UNAVAILABLE),
    /** No gateway can be reached; try again. */
    GATEWAY_UNAVAILABLE(Kind.UNAVAILABLE),
    /** The manifest-service cannot be reached; try again. */
    MANIFEST_UNAVAILABLE(Kind.UNAVAILABLE),
    /** Too much at once; try again later. */
    OVERLOADED(Kind.RESOURCE_EXHAUSTED),
    /** The answer did not come in time; look at the present state before trying again. */
    DEADLINE(Kind.DEADLINE_EXCEEDED),
    /** A bug in Drover; the log has the details. */
    INTERNAL(Kind.INTERNAL),
    /** The node has no mark that could be cleared. */
    NOTHING_TO_CLEAR(Kind.FAILED_PRECONDITION),
    /** The node's agent is not connected; bring it back first, or retire the node. */
    NODE_OFFLINE(Kind.FAILED_PRECONDITION),
    /** The node's agent is connected; stop it first. */
    NODE_ONLINE(Kind.FAILED_PRECONDITION),
    /** The node's agent refused to clear itself; the message says why. */
    CLEAR_REFUSED(Kind.FAILED_PRECONDITION),
    /** There is no such rollout group. */
    GROUP_NOT_FOUND(Kind.NOT_FOUND),
    /**
     * The components do not match the desired versions, or stand twice or at another place; the
     * message says which.
     */
    COMPONENT_ORDER_MISMATCH(Kind.INVALID_ARGUMENT),
    /** Two components would write the same configuration file; give it to one of them. */
    CONFIG_FILE_SHARED(Kind.INVALID_ARGUMENT),
    /** The rollout belongs to a group; ask the group. */
    IN_GROUP(Kind.FAILED_PRECONDITION),
    /** Only a paused group can skip a component; pause it first. */
    PAUSE_FIRST(Kind.FAILED_PRECONDITION),
    /** The component has ended and cannot go on; skip it, or roll back. */
    COMPONENT_ENDED(Kind.FAILED_PRECONDITION),
    /** The fleet has moved since the plan was made; look at the plan again. */
    PLAN_CHANGED(Kind.FAILED_PRECONDITION),
    /** The last event is not in this history; start without it. */
    EVENT_UNKNOWN(Kind.FAILED_PRECONDITION),
    /** There is no such incident. */
    INCIDENT_NOT_FOUND(Kind.NOT_FOUND),
    /** The incident is over. */
    INCIDENT_RESOLVED(Kind.FAILED_PRECONDITION),
    /** Only a node whose turn has not come can be held. */
    NODE_NOT_PENDING(Kind.FAILED_PRECONDITION),
    /** Nobody holds the node. */
    NODE_NOT_HELD(Kind.FAILED_PRECONDITION),
    /** The call brings no key; send one as `authorization: Bearer KEY`. */
    CREDENTIAL_MISSING(Kind.UNAUTHENTICATED),
    /**
     * The key or token is not one that is taken here; the message says what is wrong with a token.
     */
    CREDENTIAL_UNKNOWN(Kind.UNAUTHENTICATED),
    /** The key or token has expired; get a new one. */
    CREDENTIAL_EXPIRED(Kind.UNAUTHENTICATED),
    /** The key was revoked; get a new one. */
    CREDENTIAL_REVOKED(Kind.UNAUTHENTICATED),
    /** The caller lacks the scope that the call needs; the message names it. */
    SCOPE_MISSING(Kind.PERMISSION_DENIED),
    /** There is no such key. */
    KEY_NOT_FOUND(Kind.NOT_FOUND),
    /** A key has or had this id; choose another. */
    KEY_EXISTS(Kind.ALREADY_EXISTS),
    /**
     * The scope is granted by the machine's operator alone, or the caller lacks it; ask for less.
     */
    SCOPE_NOT_GRANTABLE(Kind.PERMISSION_DENIED),
    /** The keys that tokens are checked with cannot be read; try again, or use an API key. */
    ISSUER_UNAVAILABLE(Kind.UNAVAILABLE),
    /** The canary is not what was looked at any more; look at the evidence again. */
    EVIDENCE_CHANGED(Kind.FAILED_PRECONDITION),
    /** Somebody else than the creator must do this. */
    CREATOR_CANNOT_APPROVE(Kind.FAILED_PRECONDITION),
    /** The rollout ended so long ago that its history was pruned; the message says what is left. */
    HISTORY_PRUNED(Kind.FAILED_PRECONDITION),
    /** The join token is not one that was made here; get a new one. */
    JOIN_TOKEN_UNKNOWN(Kind.UNAUTHENTICATED),
    /**
     * The join token is used up, has expired or was revoked; the message says which. Get a new one.
     */
    JOIN_TOKEN_UNUSABLE(Kind.UNAUTHENTICATED),
    /** There is no join token with this id. */
    JOIN_TOKEN_NOT_FOUND(Kind.NOT_FOUND),
    /** The request for a certificate is not taken; the message says why. */
    SIGNING_REQUEST_INVALID(Kind.INVALID_ARGUMENT),
    /** Machines are not enrolled here: no gateway has an authority. */
    ENROLLMENT_CLOSED(Kind.UNIMPLEMENTED),
    /** Nobody may speak for this node, or with this certificate; enroll the machine anew. */
    NODE_REVOKED(Kind.PERMISSION_DENIED),
    /**
     * The node's identity was in use at two places; find the copy, then enroll the machine anew.
     */
    NODE_LOCKED(Kind.PERMISSION_DENIED),
    /** The node has a newer certificate; read it from the disk and dial again. */
    CERTIFICATE_OUTDATED(Kind.UNAVAILABLE),
    /** An agent takes itself for another node than its credential says. */
    NODE_ID_MISMATCH(Kind.PERMISSION_DENIED),
    /** The manifest-services do not hold the same; bring the same files to all of them. */
    MANIFESTS_DIFFER(Kind.FAILED_PRECONDITION),
    /**
     * The gateway's own files do not fit together, so that it makes no certificates; the message
     * says which to mend.
     */
    CA_UNUSABLE(Kind.UNAVAILABLE),
    /** A service called another in a way that is none of its own; look who has its certificate. */
    SERVICE_CALL_NOT_ALLOWED(Kind.PERMISSION_DENIED),
    /**
     * A later version said something that this one does not know and must not leave out; the
     * message names it. Upgrade the service that refuses, or leave it out.
     */
    UNKNOWN_CONTENT(Kind.FAILED_PRECONDITION),
    /** A later version wrote this into the database; upgrade the service that refuses. */
    WRITTEN_BY_LATER_VERSION(Kind.FAILED_PRECONDITION),
    /**
     * A gateway has not written down what its nodes run since their last upgrade; look at its way
     * to PostgreSQL, then try again, or leave out or retire what is gone for good.
     */
    INVENTORY_STALE(Kind.FAILED_PRECONDITION),
    /**
     * The machine is a node, and the join token makes another one or a new one; get a token for the
     * node that it is.
     */
    TOKEN_OF_ANOTHER_NODE(Kind.FAILED_PRECONDITION),
    /**
     * More targets are unhealthy than the unhealthy budget allows; repair or exclude them, or
     * create the rollout with a higher budget.
     */
    TARGETS_UNHEALTHY(Kind.FAILED_PRECONDITION),
    /** The header {@code Host} names another endpoint; use a name of this one. */
    MISDIRECTED(Kind.PERMISSION_DENIED),
    /** A page of another site made a browser send the request; use another client or a key. */
    CROSS_SITE(Kind.PERMISSION_DENIED),
    /** The agent did not return the program's output; the message says why. */
    LOG_UNAVAILABLE(Kind.FAILED_PRECONDITION),
    /** A manifest changes a configuration file that only the program writes. */
    CONFIG_MANAGED_ONCE(Kind.INVALID_ARGUMENT);

    private final Kind kind;

    RefusalCode(Kind kind) {
        this.kind = kind;
    }

    /**
     * The code of a refusal that was written down; {@link #WRITTEN_BY_LATER_VERSION} for one that
     * this version does not have. The sentence beside it says why in any version.
     */
    public static RefusalCode fromStored(String name) {
        return switch (name) { // names of earlier versions (decision 0118)
            case "EDGE_NOT_ALLOWED" -> SERVICE_CALL_NOT_ALLOWED;
            case "NOT_UNDERSTOOD" -> UNKNOWN_CONTENT;
            case "NODES_NOT_HEARD_SINCE" -> INVENTORY_STALE;
            case "JOIN_TOKEN_SPENT" -> JOIN_TOKEN_UNUSABLE;
            case "AUTHORITY_UNUSABLE" -> CA_UNUSABLE;
            case "ENROLMENT_CLOSED" -> ENROLLMENT_CLOSED;
            default ->
                    OptionalEnumParser.byName(RefusalCode.class, name)
                            .orElse(WRITTEN_BY_LATER_VERSION);
        };
    }

    /** The kind of failure, named as gRPC names its status codes. */
    public Kind kind() {
        return kind;
    }

    /** Kinds of failure, named as gRPC names its status codes. */
    public enum Kind {
        /** The request itself is wrong. */
        INVALID_ARGUMENT,
        /** The request is right, but not now. */
        FAILED_PRECONDITION,
        /** What it names does not exist. */
        NOT_FOUND,
        /** What it would make exists and differs. */
        ALREADY_EXISTS,
        /** Who asks is not known. */
        UNAUTHENTICATED,
        /** Who asks is known, and may not. */
        PERMISSION_DENIED,
        /** Somebody else took over. */
        ABORTED,
        /** Not offered here. */
        UNIMPLEMENTED,
        /** A part is away; trying again helps. */
        UNAVAILABLE,
        /** Too much at once. */
        RESOURCE_EXHAUSTED,
        /** No answer in time. */
        DEADLINE_EXCEEDED,
        /** A bug. */
        INTERNAL
    }
}
