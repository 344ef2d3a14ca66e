package drover.opsagent.adopt;

import drover.opsagent.store.KnownVersion;
import drover.opsagent.store.ProgramProfile;
import java.util.List;

/**
 * A program that runs on a node already and is to be cared for by its agent.
 *
 * @param program as the chain profile has it, rendered for this node
 * @param version what the operator calls what runs; empty when it is to be found by its digest
 * @param url where what runs can be got; empty when the operator did not say
 * @param knownVersions what digests are called elsewhere, in the chain's manifests
 */
public record AdoptionRequest(
        ProgramProfile program, String version, String url, List<KnownVersion> knownVersions) {
    public AdoptionRequest {
        knownVersions = List.copyOf(knownVersions);
    }
}
