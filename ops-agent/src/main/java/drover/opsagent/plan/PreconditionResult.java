package drover.opsagent.plan;

import drover.model.Digest;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.journal.Work;

/** Whether an attempt may begin on a node as it is. */
public sealed interface PreconditionResult {
    /** It may. */
    record Ready() implements PreconditionResult {}

    /** It is there already and runs. */
    record AlreadyDone() implements PreconditionResult {}

    /** It may not, and nothing was touched. */
    record PreconditionFailed(ReasonCode reason, String detail) implements PreconditionResult {}

    /** An upgrade begins on its source or target only; anything else is drift (D9). */
    static PreconditionResult of(Work.Upgrade upgrade, ProgramSnapshot observed) {
        Digest target = upgrade.artifact().digest();
        Digest targetConfig = upgrade.targetConfigDigest();
        if (observed.isNotInspectable()) {
            return new PreconditionFailed(
                    ReasonCode.NOT_INSPECTABLE, notInspectableMessage(upgrade.programName()));
        }
        if (observed.isRunning() && observed.fileDigest().isEmpty()) {
            return new PreconditionFailed(
                    ReasonCode.DRIFTED,
                    upgrade.spec().launch().path()
                            + " is missing while the program runs: copy the file back, then plan"
                            + " again.");
        }
        if (observed.isRunning() && !observed.fileDigest().equals(observed.runningDigest())) {
            return drifted("What runs is not the installed file");
        }
        if (!isOneOf(observed.runningOrFileDigest(), upgrade.sourceDigest(), target)) {
            return drifted("The program is " + shortDigest(observed.runningOrFileDigest()));
        }
        String config = observed.configDigest().value();
        boolean configKnown =
                upgrade.sourceConfigDigest().isEmpty()
                        || config.equals(upgrade.sourceConfigDigest())
                        || config.equals(targetConfig.value());
        if (!configKnown) {
            return drifted("The configuration is " + shortDigest(config));
        }
        boolean there =
                target.value().equals(observed.runningDigest())
                        && config.equals(targetConfig.value());
        return there ? new AlreadyDone() : new Ready();
    }

    /** Why what a program runs cannot be verified, and what to do. */
    static String notInspectableMessage(String program) {
        return "The agent may not inspect the process of "
                + program
                + ", so it could not verify what runs: run the agent as root, or set identity: file"
                + " for the program.";
    }

    private static boolean isOneOf(String digest, Digest source, Digest target) {
        return digest.equals(source.value()) || digest.equals(target.value());
    }

    private static PreconditionResult drifted(String what) {
        return new PreconditionFailed(
                ReasonCode.DRIFTED,
                what + ", neither source nor target: find out who changed it, then plan anew.");
    }

    private static String shortDigest(String digest) {
        return digest.isEmpty() ? "absent" : new Digest(digest).shortHex();
    }
}
