package drover.opsagent.script;

import drover.model.Digest;

/** Whether an attempt may begin on a node as it is. */
public sealed interface Readiness {
    /** It may. */
    record Ready() implements Readiness {}

    /** It is there already and runs. */
    record AlreadyThere() implements Readiness {}

    /** It may not, and nothing was touched. */
    record NotReady(ReasonCode reason, String detail) implements Readiness {}

    /** An upgrade begins on its source or target only; anything else is drift (D9). */
    static Readiness of(Work.Upgrade upgrade, Observed observed) {
        Digest target = upgrade.artifact().digest();
        Digest targetConfig = upgrade.targetConfigDigest();
        if (observed.alive() && !observed.runningDigest().equals(observed.fileDigest())) {
            return drifted("What runs is not the installed file");
        }
        if (!isOneOf(observed.digest(), upgrade.sourceDigest(), target)) {
            return drifted("The program is " + brief(observed.digest()));
        }
        String config = observed.configDigest().value();
        boolean configKnown =
                upgrade.sourceConfigDigest().isEmpty()
                        || config.equals(upgrade.sourceConfigDigest())
                        || config.equals(targetConfig.value());
        if (!configKnown) {
            return drifted("The configuration is " + brief(config));
        }
        boolean there =
                observed.runningDigest().equals(target.value())
                        && config.equals(targetConfig.value());
        return there ? new AlreadyThere() : new Ready();
    }

    private static boolean isOneOf(String digest, Digest source, Digest target) {
        return digest.equals(source.value()) || digest.equals(target.value());
    }

    private static Readiness drifted(String what) {
        return new NotReady(
                ReasonCode.DRIFTED,
                what + ", neither source nor target: find out who changed it, then plan anew.");
    }

    private static String brief(String digest) {
        return digest.isEmpty() ? "absent" : new Digest(digest).brief();
    }
}
