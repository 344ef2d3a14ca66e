package drover.opsagent.docker;

import drover.model.Digest;
import drover.opsagent.docker.engine.Container;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code container.json} of a backup: the container as the engine described it.
 *
 * @param digest of its image
 */
record SavedContainer(Digest digest, ObjectNode inspected) {
    static SavedContainer of(Container container, Digest digest) {
        return new SavedContainer(digest, container.json());
    }

    Container container() {
        return new Container(inspected);
    }
}
