package drover.opsagent.adopt;

import drover.opsagent.journal.ReasonCode;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.NodeProfile;

/** What becomes of a program that was found on a node. */
public sealed interface AdoptionDecision {
    /** It is new to the node's profile, which becomes this one. */
    record Adopted(NodeProfile profile, KnownVersion version) implements AdoptionDecision {}

    /** It was adopted as just this before: nothing changes. */
    record AlreadyAdopted(KnownVersion version) implements AdoptionDecision {}

    /** It is not taken, and why: one sentence that says what to do. */
    record Refused(ReasonCode reason, String sentence) implements AdoptionDecision {}
}
