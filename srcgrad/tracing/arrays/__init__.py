"""What stands for arrays and numbers, and for np.array, math.sin of them."""
