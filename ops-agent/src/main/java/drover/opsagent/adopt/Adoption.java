package drover.opsagent.adopt;

import drover.opsagent.script.ReasonCode;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.Profile;

/** What becomes of a program that was found on a node. */
public sealed interface Adoption {
    /** It is new to the node's profile, which becomes this one. */
    record Taken(Profile profile, KnownVersion version) implements Adoption {}

    /** It was adopted as just this before: nothing changes. */
    record AlreadyTaken(KnownVersion version) implements Adoption {}

    /** It is not taken, and why: one sentence that says what to do. */
    record Refused(ReasonCode reason, String sentence) implements Adoption {}
}
