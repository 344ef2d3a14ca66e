package drover.opsagent.adopt;

import drover.model.Digest;
import drover.opsagent.journal.ReasonCode;
import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.NodeProfile;
import drover.opsagent.store.ProgramProfile;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Decides whether a program that was found on a node becomes one of its profile. Pure. */
final class AdoptionRules {
    private AdoptionRules() {}

    /**
     * Decides it.
     *
     * @param now what the node's profile says so far
     * @param running digest of what runs
     */
    static AdoptionDecision decide(NodeProfile now, AdoptionRequest request, Digest running) {
        ProgramProfile wanted = request.program();
        ProgramProfile present = now.findProgram(wanted.name());
        if (present != null && !present.equals(wanted)) {
            return refuse(
                    "This node has "
                            + wanted.name()
                            + " already, launched or configured otherwise: a rollout changes that."
                            + " To begin anew, use an empty state directory.");
        }
        String other = present == null ? findConflictingProgram(now, wanted) : "";
        if (!other.isEmpty()) {
            return refuse(
                    "What runs is "
                            + other
                            + " of this node already: give each program a unit or container of its"
                            + " own.");
        }
        Optional<KnownVersion> version = findVersion(now, request, running);
        if (version.isEmpty()) {
            return new AdoptionDecision.Refused(
                    ReasonCode.DRIFTED,
                    running.shortHex()
                            + " is no version that is known here: say with --version which it is.");
        }
        return decideVersion(now, wanted, present, version.get());
    }

    private static AdoptionDecision decideVersion(
            NodeProfile now,
            ProgramProfile wanted,
            @Nullable ProgramProfile present,
            KnownVersion version) {
        KnownVersion before = now.findVersionOrUnknown(version.digest());
        boolean known = now.versions().contains(before);
        if (known && !before.version().equals(version.version())) {
            return refuse(
                    "This node knows what runs as "
                            + before.version()
                            + ", not "
                            + version.version()
                            + ": leave --version out.");
        }
        if (present == null) {
            return new AdoptionDecision.Adopted(
                    now.with(wanted).with(known ? before : version), version);
        }
        return known
                ? new AdoptionDecision.AlreadyAdopted(before)
                : refuse(
                        "This node has "
                                + wanted.name()
                                + " already, and not as what runs now: find out who changed it, then"
                                + " roll out the version that is meant.");
    }

    /** The operator's word, else that of the node, else that of the manifests. */
    private static Optional<KnownVersion> findVersion(
            NodeProfile now, AdoptionRequest request, Digest running) {
        if (!request.version().isEmpty()) {
            return Optional.of(new KnownVersion(running, request.version(), request.url()));
        }
        return Stream.concat(now.versions().stream(), request.knownVersions().stream())
                .filter(known -> known.digest().equals(running))
                .findFirst();
    }

    /** Name of the program that has this unit, container or file; empty when none has. */
    private static String findConflictingProgram(NodeProfile now, ProgramProfile wanted) {
        String service = wanted.spec().launch().service();
        for (ProgramProfile program : now.programs()) {
            boolean same =
                    service.isEmpty()
                            ? program.spec().launch().path().equals(wanted.spec().launch().path())
                            : program.spec().launch().service().equals(service);
            if (same) {
                return program.name();
            }
        }
        return "";
    }

    private static AdoptionDecision refuse(String sentence) {
        return new AdoptionDecision.Refused(ReasonCode.ADOPTED_OTHERWISE, sentence);
    }
}
