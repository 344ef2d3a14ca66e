package drover.opsagent.docker;

import drover.model.Digest;
import drover.opsagent.docker.engine.Container;
import drover.opsagent.docker.engine.Mount;
import drover.opsagent.docker.engine.RestartPolicy;
import java.util.List;

/**
 * {@code container.json}: intended state of a program's container, and starts that are pending.
 *
 * @param wanted whether it is meant to run
 * @param owed whether the agent starts it, also if its restart policy does not
 * @param container id of the program's container when it was last looked at
 * @param configDigest managed files and launch specification when it was started
 * @param startsSince starts by supervision since the last start on purpose, those by the engine
 *     left aside
 * @param replaces id of the container that is being replaced; empty when none is
 * @param held the restart policy that was taken away and is to be given back (D12)
 * @param mounts what the container sees of the machine
 */
record ContainerRecord(
        boolean wanted,
        boolean owed,
        String container,
        Digest configDigest,
        int startsSince,
        String replaces,
        RestartPolicy held,
        List<Mount> mounts) {
    ContainerRecord {
        mounts = List.copyOf(mounts);
    }

    /** A container that somebody else made. */
    static ContainerRecord ofAdopted(Container container, Digest configDigest) {
        return new ContainerRecord(
                container.isRunningOrRestarting(),
                false,
                container.id(),
                configDigest,
                -container.restartCount(),
                "",
                RestartPolicy.NO,
                container.mounts());
    }

    /** It is started on purpose. */
    ContainerRecord withStart(Container now, Digest config) {
        return new ContainerRecord(true, false, now.id(), config, 0, replaces, held, now.mounts());
    }

    /** It is to be started by supervision, for the first time on purpose. */
    ContainerRecord withPendingStart(Digest config) {
        return new ContainerRecord(true, true, container, config, -1, replaces, held, mounts);
    }

    /** Supervision is about to start it; a pending start remains until the engine accepted it. */
    ContainerRecord withRestart() {
        return new ContainerRecord(
                true, owed, container, configDigest, startsSince + 1, replaces, held, mounts);
    }

    ContainerRecord asNotDesired() {
        return new ContainerRecord(
                false, false, container, configDigest, startsSince, replaces, held, mounts);
    }

    ContainerRecord asDesired() {
        return new ContainerRecord(
                true, true, container, configDigest, startsSince, replaces, held, mounts);
    }

    /** The agent does not have to start it: its restart policy is in place. */
    ContainerRecord withoutPendingStart() {
        return new ContainerRecord(
                wanted, false, container, configDigest, startsSince, replaces, held, mounts);
    }

    ContainerRecord withContainer(Container now, Digest config) {
        return new ContainerRecord(
                wanted, owed, now.id(), config, startsSince, replaces, held, now.mounts());
    }

    ContainerRecord withReplacedId(String old) {
        return new ContainerRecord(
                wanted, owed, container, configDigest, startsSince, old, held, mounts);
    }

    ContainerRecord withDeferredPolicy(RestartPolicy policy) {
        return new ContainerRecord(
                wanted, owed, container, configDigest, startsSince, replaces, policy, mounts);
    }

    ContainerRecord withStartCount(int starts) {
        return new ContainerRecord(
                wanted, owed, container, configDigest, starts, replaces, held, mounts);
    }
}
