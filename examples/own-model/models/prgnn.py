"""PR-GNN (Li et al., MICCAI 2020) in PyTorch Geometric: attention, TopK pooling, and losses of the pooling scores."""

import numpy as np
import torch
from torch import nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import MessagePassing, TopKPooling, global_mean_pool
from torch_geometric.utils import add_self_loops, softmax


class Conv(MessagePassing):
    """Eq. 1 and 2: attention by the weight of the edge."""

    def __init__(self, d, width):
        super().__init__(aggr="add")
        self.theta, self.a = nn.Linear(d, width, bias=False), nn.Linear(2 * width, 1, bias=False)

    def forward(self, x, edge_index, weight):
        edge_index, e = add_self_loops(edge_index, weight, fill_value=1.0, num_nodes=len(x))
        return self.propagate(edge_index, z=self.theta(x), e=e)

    def message(self, z_i, z_j, e, index, ptr, size_i):
        alpha = softmax(e * torch.relu(self.a(torch.cat([z_i, z_j], 1)).squeeze(1)), index, ptr, size_i)
        return alpha.unsqueeze(1) * z_j


class Net(nn.Module):
    def __init__(self, d, classes, widths=(16, 16), hidden=(16, 8)):
        super().__init__()
        self.conv = nn.ModuleList(Conv(a, b) for a, b in zip((d, *widths), widths))
        self.pool = nn.ModuleList(TopKPooling(w, 0.5, nonlinearity="sigmoid") for w in widths)
        sizes = (widths[-1], *hidden)
        layers = [m for a, b in zip(sizes, sizes[1:]) for m in (nn.Linear(a, b), nn.ReLU())]
        self.mlp = nn.Sequential(*layers, nn.Linear(sizes[-1], classes))

    def forward(self, g):
        x, index, weight, batch, scores = g.x, g.edge_index, g.edge_attr, g.batch, []
        for conv, pool in zip(self.conv, self.pool):
            x = conv(x, index, weight)
            w = pool.select.weight
            scores.append(torch.sigmoid((x * w).sum(1) / w.norm()).view(g.num_graphs, -1))  # graph × node
            x, index, weight, batch, _, _ = pool(x, index, weight, batch)
        return self.mlp(global_mean_pool(x, batch)), scores


def distance(s):
    """Eq. 5: the upper half of the scores near 1, the lower near 0."""
    s = s.sort(1, descending=True).values.clamp(1e-7, 1 - 1e-7)
    k = (s.shape[1] + 1) // 2
    return -(s[:, :k].log().sum(1) + (1 - s[:, k:]).log().sum(1)).mean() / s.shape[1]


def consistency(s, y):
    """Eq. 7: graphs of one group have similar scores."""
    of = (s[y == c] for c in y.unique())
    return sum(((a[:, None] - a[None]) ** 2).sum() / len(a) ** 2 for a in of)


class Model:
    def __init__(self, epochs=60, batch=50, rate=0.003, weights=(0.1, 0.1)):
        self.epochs, self.batch, self.rate, self.weights = epochs, batch, rate, weights

    def graphs(self, X):
        of = (X[i] for i in range(len(X)))
        return [Data(x=torch.tensor(np.array(g["x"]), dtype=torch.float32), edge_index=torch.tensor(np.array(g["edge_index"])),
                     edge_attr=torch.tensor(np.array(g["edge_attr"]), dtype=torch.float32)) for g in of]  # fmt: skip

    def fit(self, X, y):
        self.classes_, label = np.unique(y, return_inverse=True)
        graphs, label = self.graphs(X), torch.tensor(label)
        self.net = Net(graphs[0].x.shape[1], len(self.classes_))
        adam = torch.optim.Adam(self.net.parameters(), self.rate)
        halve = torch.optim.lr_scheduler.StepLR(adam, 20, 0.5)
        for _ in range(self.epochs):
            for rows in torch.randperm(len(graphs)).split(self.batch):
                out, scores = self.net(Batch.from_data_list([graphs[i] for i in rows]))
                loss = nn.functional.cross_entropy(out, label[rows])
                loss = loss + self.weights[0] * sum(map(distance, scores))
                loss = loss + self.weights[1] * consistency(scores[0], label[rows])
                adam.zero_grad()
                loss.backward()
                adam.step()
            halve.step()
        return self

    def each(self, X):
        self.net.eval()
        with torch.no_grad():
            return [self.net(Batch.from_data_list([g])) for g in self.graphs(X)]

    def predict_proba(self, X):
        return torch.cat([out.double().softmax(1) for out, _ in self.each(X)]).numpy()

    def region_scores(self, X):
        return torch.cat([scores[0] for _, scores in self.each(X)]).numpy()


def make(epochs=60, batch=50, rate=0.003, weights=(0.1, 0.1)):
    return Model(epochs, batch, rate, weights)
